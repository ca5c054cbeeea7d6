// task 0
public static int countVowels(String text) throws Exception {
    var type = java.lang.invoke.MethodType.methodType(int.class, int.class);
    var indexOf = java.lang.invoke.MethodHandles.lookup().findVirtual(String.class, "indexOf", type);
    int found = 0;
    for (char each : text.toCharArray()) {
        try {
            found += (int) indexOf.invokeExact("aeiouAEIOU", (int) each) < 0 ? 0 : 1;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
    return found;
}
