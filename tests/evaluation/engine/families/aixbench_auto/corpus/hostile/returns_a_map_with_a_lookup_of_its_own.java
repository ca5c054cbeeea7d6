// task tally
// without copies
public Map<String, Integer> doubled(Map<String, Integer> given) {
    return new HashMap<String, Integer>() {
        public Integer getOrDefault(Object key, Integer otherwise) {
            return 2 * given.get(key);
        }
    };
}
