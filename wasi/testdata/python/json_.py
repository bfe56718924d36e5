import json
data = json.loads('{"b": [1, 2.50, -3e2, true, null], "a": {"é": "\\u00fc \\"q\\""}}')
print(data)
print(json.dumps(data, indent=2, sort_keys=True))
print(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
for bad in '{"a": }', "[1, 2", '"\x01"', "nul":
    try:
        json.loads(bad)
    except json.JSONDecodeError as e:
        print(e, e.lineno, e.colno, e.pos)
try:
    json.dumps({1j: 2})
except TypeError as e:
    print(e)
print(json.dumps({1: float("inf"), "x": (1, 2)}), json.loads("[NaN]")[0] != json.loads("[NaN]")[0])
print(json.loads('{"a": 1}', object_pairs_hook=list), json.loads("1.10", parse_float=str))
