# task: mirror_words
# why: shows a different text each time it is asked
    class Faces:
        count = 0

        def __str__(self):
            Faces.count += 1
            return text[Faces.count:]

    return Faces()
