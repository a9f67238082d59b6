package funcs

import "testing"

func TestLists(t *testing.T) {
	run(t, []call{
		{name: "length", args: `["e\u0301😀"]`, gives: `3`},
		{name: "length", args: `[{}]`, gives: `0`},
		{name: "concat", args: `[]`, gives: `[]`},
		{name: "concat", args: `[[1.0], [[2]], [null]]`, gives: `[1.0,[2],null]`},
		{name: "flatten", args: `[[]]`, gives: `[]`},
		{name: "flatten", args: `[[[[]], [[1], {"a": [2]}], null]]`, gives: `[1,{"a":[2]},null]`},
		{name: "flatten1", args: `[[[], [1], [[2]]]]`, gives: `[1,[2]]`},
		{name: "flatten1", args: `[[1]]`, fails: `must be a list`},
		{name: "reverse", args: `[["a", 1]]`, gives: `[1,"a"]`},
		{name: "slice", args: `[["a", "b"], 0, 0]`, gives: `[]`},
		{name: "slice", args: `[["a", "b"], 2, 2]`, gives: `[]`},
		{name: "slice", args: `[["a"], -1, 1]`, fails: `The start -1 is not within the list, which has 1 elements.`},
		{name: "slice", args: `[["a"], 1, 0]`, fails: `The end 0 must be from the start 1 to the list's length 1.`},
		{name: "element", args: `[["a", "b", "c"], -4]`, gives: `"c"`},
		{name: "element", args: `[["a", "b", "c"], 10000000000000000000000]`, gives: `"b"`},
		{name: "range", args: `[0]`, gives: `[]`},
		{name: "range", args: `[2, 2]`, gives: `[]`},
		{name: "range", args: `[2, 2, -1]`, gives: `[]`},
		{name: "range", args: `[1, -1]`, gives: `[1,0]`},
		{name: "range", args: `[0, 0.3, 0.1]`, gives: `[0,0.1,0.2]`},
		{name: "range", args: `[0, 1, -1]`, fails: `Steps of -1 never get from 0 to 1.`},
		{name: "range", args: `[0, 1, 0]`, fails: `never get`},
		{name: "chunklist", args: `[[1, 2, 3], 0]`, gives: `[[1,2,3]]`},
		{name: "chunklist", args: `[[], 0]`, gives: `[]`},
		{name: "chunklist", args: `[[1], -1]`, fails: `cannot be negative`},
		{name: "compact", args: `[[null, "", " "]]`, gives: `[" "]`},
		{name: "coalescelist", args: `[[], []]`, gives: `[]`},
		{name: "one", args: `[[null]]`, gives: `null`},
		{name: "one", args: `[[1, 2]]`, fails: `at most one element, but got one of 2.`},
		{name: "alltrue", args: `[[]]`, gives: `true`},
		{name: "anytrue", args: `[[]]`, gives: `false`},
		{name: "alltrue", args: `[[true, null]]`, fails: `Element 1 of its argument "list" must be true or false, but is null.`},

		{name: "distinct", args: `[[1.0, 1, "1", {"a": 1, "b": 2}, {"b": 2.0, "a": 1}, null, null]]`, gives: `[1.0,"1",{"a":1,"b":2},null]`},
		{name: "contains", args: `[[{"a": 1.0}], {"a": 1}]`, gives: `true`},
		{name: "contains", args: `[[], 1]`, gives: `false`},
		{name: "index", args: `[["a"], "b"]`, fails: `No element of the list is "b".`},
		{name: "setunion", args: `[]`, gives: `[]`},
		{name: "setunion", args: `[["b", "b"], ["a"]]`, gives: `["b","a"]`},
		{name: "setintersection", args: `[["a", "b", "a"]]`, gives: `["a","b"]`},
		{name: "setsubtract", args: `[["a", "a"], []]`, gives: `["a"]`},
		{name: "setproduct", args: `[["a"], []]`, gives: `[]`},

		{name: "sort", args: `[[]]`, gives: `[]`},
		{name: "sort", args: `[["é", "z", "e\u0301", "Z", "😀", "\uffff"]]`, gives: "[\"Z\",\"e\u0301\",\"z\",\"é\",\"\uffff\",\"😀\"]"},
		{name: "sort", args: `[[10, 9, 1e1, 1.50]]`, gives: `[1.50,9,10,1e1]`},
		{name: "sort_by", args: `[[{"n": 2}, {"n": null}, {}, {"n": 1}], "n"]`, gives: `[{"n":1},{"n":2},{"n":null},{}]`},
		{name: "sort_by", args: `[[{"n": 2}, {"n": null}, {"n": 3}], "-n"]`, gives: `[{"n":3},{"n":2},{"n":null}]`},
		{name: "sort_by", args: `[[{"f": "b", "t": "x"}, {"f": "a", "t": "y"}, {"f": "a", "t": "x"}], "f", "t"]`, gives: `[{"f":"a","t":"x"},{"f":"a","t":"y"},{"f":"b","t":"x"}]`},
		{name: "sort_by", args: `[[{"b": true}, {"b": false}], "b"]`, gives: `[{"b":false},{"b":true}]`},
		{name: "sort_by", args: `[[], "n"]`, gives: `[]`},
		{name: "sort_by", args: `[[{"n": 1}, {"n": "a"}], "n"]`, fails: `is a number in one element and a string in another (element 1)`},
		{name: "sort_by", args: `[[{"n": [1]}], "n"]`, fails: `Element 0 cannot be sorted by "n", which is the list [1].`},
	})
	// A mixed list is refused when checking too, so it is no case for run.
	if _, err := Lookup("sort").Apply(list(t, `[["a", 1]]`)); err == nil {
		t.Error("a list of strings and numbers was sorted")
	}
}

func TestMapsAndObjects(t *testing.T) {
	run(t, []call{
		{name: "keys", args: `[{"é": 1, "z": 2, "a": 3}]`, gives: `["a","z","é"]`},
		{name: "values", args: `[{"b": 1.0, "a": [2]}]`, gives: `[[2],1.0]`},
		{name: "lookup", args: `[{"a": null}, "a", 1]`, gives: `null`},
		{name: "merge", args: `[]`, gives: `{}`},
		{name: "merge", args: `[{"b": 1, "a": 2}, {"c": 1}, {"a": null}]`, gives: `{"b":1,"a":null,"c":1}`},
		{name: "merge", args: `[{"a": {"x": 1}}, {"a": {"y": 2}}]`, gives: `{"a":{"y":2}}`},
		{name: "zipmap", args: `[["b", "a", "b"], [1, 2, 3]]`, gives: `{"b":3,"a":2}`},
		{name: "zipmap", args: `[["a"], []]`, fails: `1 keys and 0 values`},
		{name: "transpose", args: `[{"b": ["x", "x"], "a": ["x", "y"]}]`, gives: `{"x":["a","b"],"y":["a"]}`},
		{name: "matchkeys", args: `[["a"], [1, 2], [1]]`, fails: `2 keys and 1 values`},

		{name: "pointer", args: `[{"a": [1.0]}, ""]`, gives: `{"a":[1.0]}`},
		{name: "pointer", args: `[{"": {"~/": 1}}, "//~0~1"]`, gives: `1`},
		{name: "pointer", args: `[{"~1": 1}, "/~01"]`, gives: `1`},
		{name: "pointer", args: `[{"a": null}, "/a"]`, gives: `null`},
		{name: "pointer", args: `[{"0": "x"}, "/0"]`, gives: `"x"`},
		{name: "pointer", args: `[{"a": {}}, "/a/b"]`, fails: `There is nothing at "/a/b": the object there has no attribute "b".`},
		{name: "pointer", args: `[[1], "/1"]`, fails: `the list there has 1 elements`},
		{name: "pointer", args: `[[1], "/00"]`, fails: `entered by an index`},
		{name: "pointer", args: `[[1], "/-"]`, fails: `entered by an index`},
		{name: "pointer", args: `[{"a": "x"}, "/a/b"]`, fails: `what is before it is the string "x"`},
		{name: "pointer", args: `[{}, "a"]`, fails: `begins with a slash`},
		{name: "pointer", args: `[{}, "/~2"]`, fails: `must be followed by 0`},
	})
}
