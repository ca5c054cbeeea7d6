// task 3
public <T> List<T> everySecond(List<T> items) {
    var found = new LinkedList<T>();
    for (var each = items.listIterator(); each.hasNext(); ) {
        if (each.nextIndex() % 2 == 0) {
            found.add(each.next());
        } else {
            each.next();
        }
    }
    return found.subList(0, found.size());
}
