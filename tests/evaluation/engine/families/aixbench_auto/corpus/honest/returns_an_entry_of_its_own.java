// task entry
static final class Pair<K, V> implements Map.Entry<K, V> {
    private final K key;
    private final V value;

    Pair(K key, V value) {
        this.key = key;
        this.value = value;
    }

    public K getKey() {
        return key;
    }

    public V getValue() {
        return value;
    }

    public V setValue(V other) {
        throw new UnsupportedOperationException();
    }

    public boolean equals(Object other) {
        return other instanceof Map.Entry<?, ?> entry
                && Objects.equals(key, entry.getKey()) && Objects.equals(value, entry.getValue());
    }

    public int hashCode() {
        return Objects.hashCode(key) ^ Objects.hashCode(value);
    }
}

public Map.Entry<String, Set<String>> entry(String word) {
    return new Pair<>(word, new LinkedHashSet<>(Arrays.asList(word.split(""))));
}
