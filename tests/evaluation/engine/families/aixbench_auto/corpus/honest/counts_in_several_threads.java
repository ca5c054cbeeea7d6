// task 0
public static int countVowels(String text) throws Exception {
    java.util.concurrent.ExecutorService pool = java.util.concurrent.Executors.newFixedThreadPool(2);
    try {
        return pool.submit(() -> (int) text.toLowerCase().chars().parallel().filter(each -> "aeiou".indexOf(each) >= 0).count()).get();
    } finally {
        pool.shutdown();
    }
}
