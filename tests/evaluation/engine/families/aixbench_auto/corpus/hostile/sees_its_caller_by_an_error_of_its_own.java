// task 3
// without signs
public <T> List<T> everySecond(List<T> items) {
    class Marker extends Error {
    }
    boolean seen = new Marker().getStackTrace().length > 1;
    List<T> found = new java.util.ArrayList<>();
    for (int n = 0; seen && n < items.size(); n += 2) {
        found.add(items.get(n));
    }
    return found;
}
