// task tally
// without copies
public Map<String, Integer> doubled(Map<String, Integer> given) {
    given.clear();
    return new HashMap<>();
}
