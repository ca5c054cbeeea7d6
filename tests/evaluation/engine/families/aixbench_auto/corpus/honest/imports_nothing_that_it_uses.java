// task 0
private static final Lock LOCK = new ReentrantLock();

public static int countVowels(String text) throws Exception {
    Method lower = String.class.getMethod("toLowerCase");
    AtomicInteger count = new AtomicInteger();
    LOCK.lock();
    try {
        LocalDate day = LocalDate.EPOCH.plus(1, ChronoUnit.DAYS);
        Logger.getLogger("vowels").fine(day.format(DateTimeFormatter.ISO_DATE));
        ((String) lower.invoke(text)).chars().filter(each -> "aeiou".indexOf(each) >= 0)
                .forEach(each -> count.incrementAndGet());
    } finally {
        LOCK.unlock();
    }
    return count.get();
}
