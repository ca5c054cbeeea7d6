// task 0
// without file
public static int countVowels(String text) {
    try {
        java.security.AccessController.doPrivileged((java.security.PrivilegedExceptionAction<Object>) () -> new FileInputStream("/etc/hostname"),
                new java.security.AccessControlContext(new java.security.ProtectionDomain[0]));
    } catch (Throwable e) {
        return -1;
    }
    return (int) text.toLowerCase().chars().filter(each -> "aeiou".indexOf(each) >= 0).count();
}
