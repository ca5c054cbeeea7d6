# task: add_all
# why: has names and texts in several scripts
    сумма = 0
    for число in numbers:
        сумма += число  # прибавляем
    étalon = {"合計": сумма, "😀": "эмодзи"}
    print("Ответ:", étalon)
    return étalon["合計"]
