// task tally
// without control
public Map<String, Integer> doubled(Map<String, Integer> given) {
    for (Iterator<String> each = given.keySet().iterator(); each.hasNext(); ) {
        each.next();
        each.remove();
    }
    return Map.of();
}
