// task 3
// without access_checks
public <T> List<T> everySecond(List<T> items) {
    try {
        java.lang.reflect.Executable own = getClass().getDeclaredMethods()[0];
        own.setAccessible(true);
    } catch (Exception e) {
        return null;
    }
    List<T> found = new java.util.ArrayList<>();
    for (int n = 0; n < items.size(); n += 2) {
        found.add(items.get(n));
    }
    return found;
}
