// task letters
public Set<String> letters(String word) {
    return Arrays.stream(word.split(""))
            .map(each -> java.util.concurrent.CompletableFuture.supplyAsync(() -> each))
            .map(java.util.concurrent.CompletableFuture::join)
            .collect(java.util.stream.Collectors.toCollection(java.util.concurrent.ConcurrentHashMap::newKeySet));
}
