# task: add_all
# why: writes and reads files in its directory and in /tmp
    import json
    import os
    import tempfile

    with open("numbers.json", "w") as file:
        json.dump(numbers, file)
    with tempfile.NamedTemporaryFile("w+") as file:
        file.write(open("numbers.json").read())
        file.seek(0)
        loaded = json.load(file)
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "inner"))
    os.remove("numbers.json")
    return sum(loaded)
