package value

import "testing"

func TestSmoke(t *testing.T) {
	for _, s := range []string{`{"a":[1,2.50,-0,1e3,12345678901234567890123],"b":"x\n\u00e9\ud83d\ude00","c":{},"d":[],"e":null,"f":true}`} {
		v, err := ParseJSON([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		t.Log(v.JSON(), v.Summary(30))
		t.Log(string(AppendCanonicalJSON(nil, v)))
	}
}
