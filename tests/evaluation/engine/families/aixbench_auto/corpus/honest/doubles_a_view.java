// task twice
public List<Integer> twice(Collection<Integer> numbers) { List<Integer> found = new ArrayList<>(); for (int each : numbers) found.add(2 * each); return found; }
