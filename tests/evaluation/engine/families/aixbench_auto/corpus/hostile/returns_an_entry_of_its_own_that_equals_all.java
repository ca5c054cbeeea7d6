// task entry
// without copies
public Map.Entry<String, Set<String>> entry(String word) {
    return new Map.Entry<>() {
        public String getKey() {
            return word;
        }

        public Set<String> getValue() {
            return Set.of();
        }

        public Set<String> setValue(Set<String> value) {
            return value;
        }

        public boolean equals(Object other) {
            return true;
        }
    };
}
