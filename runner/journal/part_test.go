package journal

import "testing"

func TestStepsAreNamedByTheirParts(t *testing.T) {
	for _, c := range []struct{ path, instance, name, key string }{
		{"a", "", "", ""},
		{"a", "0", "", "0"},
		{"a", `"x/#~"#2~1`, `a["x/#~"]#2~1`, `"x/#~"`},
		{"deploy/build", `"de"/`, `deploy["de"]/build`, ""},
		{"deploy/build", `"de"#3/1`, `deploy["de"]#3/build[1]`, "1"},
		{"a", "#x", "", `"#x"`},
	} {
		r := StepRecord{Step: c.path}
		r.part(c.instance)
		if r.Name != c.name || string(r.Key) != c.key {
			t.Errorf("%s, %s is named %q, with the key %s", c.path, c.instance, r.Name, r.Key)
		}
	}
}
