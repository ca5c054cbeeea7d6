package assay.harness;

import java.io.File;
import java.io.FileDescriptor;
import java.security.CodeSource;
import java.security.Permission;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/**
 * Permits a candidate the permissions of a list, and records the kind of each other permission that
 * it asks for. Tasks name permissions by these kinds.
 */
@SuppressWarnings("removal")
final class Guard extends SecurityManager {
    private static final String EXECUTE = "execute";
    private static final Set<String> RUNTIME =
            Set.of(
                    "accessDeclaredMembers", "getClassLoader", "setContextClassLoader",
                    "enableContextClassLoaderOverride", "modifyThread", "modifyThreadGroup",
                    "getStackTrace", "setDefaultUncaughtExceptionHandler", "getProtectionDomain",
                    "setIO", "manageProcess", "getFileSystemAttributes", "getFileStoreAttributes",
                    "getStackWalkerWithClassReference");
    // Of no use without a network, which the container lacks.
    private static final Set<String> HARMLESS =
            Set.of(
                    "java.util.PropertyPermission", "java.net.SocketPermission",
                    "java.net.NetPermission", "java.net.URLPermission",
                    "java.util.logging.LoggingPermission");
    private static final String HERE = System.getProperty("user.dir") + "/";
    private static final String[] WRITABLE = {"/work/", "/tmp/"};
    private static final String[] READABLE = {
        System.getProperty("java.home") + "/", "/judge/", "/dev/null/", "/dev/random/",
        "/dev/urandom/",
    };
    private static final String[] PROCESSES = {"/proc/"};
    private final Set<String> permitted;
    private final Set<String> denied = Collections.synchronizedSet(new TreeSet<>());
    private final ThreadLocal<Boolean> looking = new ThreadLocal<>();

    Guard(Set<String> permitted) {
        this.permitted = permitted;
    }

    /** The kinds that were denied, separated by commas. */
    String denied() {
        synchronized (denied) {
            return String.join(",", denied);
        }
    }

    @Override
    public void checkPermission(Permission asked) {
        if (isHarmless(asked) || permitted.contains(kind(asked))) {
            return;
        }
        try {
            super.checkPermission(trusted(asked));
        } catch (SecurityException e) {
            deny(asked, e);
        }
    }

    @Override
    public void checkPermission(Permission asked, Object context) {
        if (isHarmless(asked) || permitted.contains(kind(asked))) {
            return;
        }
        try {
            super.checkPermission(trusted(asked), context);
        } catch (SecurityException e) {
            deny(asked, e);
        }
    }

    /**
     * The JDK's class loader grants exit to the classes that it loads: asks for a permission that
     * only trusted classes have.
     */
    private static Permission trusted(Permission asked) {
        return kind(asked).equals("exit") ? new RuntimePermission("assay.exit") : asked;
    }

    private void deny(Permission asked, SecurityException refused) {
        String kind = kind(asked);
        if (kind.equals("access_checks") && isAskedByALibrary()) {
            return;
        }
        denied.add(kind);
        throw refused;
    }

    /** Modules protect their packages themselves. */
    @Override
    public void checkPackageAccess(String name) {}

    @Override
    public void checkRead(String file) {
        if (!isReadable(file)) {
            super.checkRead(file);
        }
    }

    @Override
    public void checkWrite(String file) {
        if (!isIn(WRITABLE, file)) {
            super.checkWrite(file);
        }
    }

    @Override
    public void checkDelete(String file) {
        if (!isIn(WRITABLE, file)) {
            super.checkDelete(file);
        }
    }

    @Override
    public void checkWrite(FileDescriptor opened) {
        if (opened != FileDescriptor.out && opened != FileDescriptor.err) {
            super.checkWrite(opened);
        }
    }

    private boolean isHarmless(Permission asked) {
        String type = asked.getClass().getName();
        String name = asked.getName();
        switch (type) {
            case "java.lang.RuntimePermission":
                return RUNTIME.contains(name) || name.startsWith("getenv.");
            case "java.io.FilePermission":
                return asked.getActions().equals("read") && isReadable(name);
            case "java.lang.management.ManagementPermission":
                return name.equals("monitor");
            case "java.security.SecurityPermission":
                return name.startsWith("getProperty.");
            default:
                return HARMLESS.contains(type);
        }
    }

    private static String kind(Permission asked) {
        String name = asked.getName();
        switch (asked.getClass().getName()) {
            case "java.io.FilePermission":
                return asked.getActions().contains(EXECUTE) ? "process" : "file";
            case "java.nio.file.LinkPermission":
                return "file";
            case "java.lang.reflect.ReflectPermission":
                return "access_checks";
            case "java.security.SecurityPermission":
                return "security";
            case "java.lang.RuntimePermission":
                return kindOfRuntime(name);
            default:
                return "other";
        }
    }

    private static String kindOfRuntime(String name) {
        if (name.startsWith("exitVM")) {
            return "exit";
        }
        if (name.startsWith("loadLibrary")) {
            return "library";
        }
        switch (name) {
            case "shutdownHooks":
                return "exit";
            case "createClassLoader":
                return "class_loader";
            case "setSecurityManager":
            case "createSecurityManager":
                return "security";
            case "readFileDescriptor":
            case "writeFileDescriptor":
                return "file";
            default:
                return "other";
        }
    }

    private boolean isReadable(String file) {
        return isIn(WRITABLE, file)
                || isIn(READABLE, file)
                || file.equals("/")
                || isAbsent(file);
    }

    private static boolean isIn(String[] places, String file) {
        String path = normal(file.startsWith("/") ? file : HERE + file);
        for (String place : places) {
            if (path.startsWith(place)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The path without "." and "..", with a slash at the end. Loading the class Path takes too
     * long.
     */
    private static String normal(String file) {
        StringBuilder path = new StringBuilder("/");
        for (int from = 0; from < file.length(); ) {
            int to = file.indexOf('/', from);
            to = to < 0 ? file.length() : to;
            String part = file.substring(from, to);
            if (part.equals("..")) {
                path.setLength(Math.max(1, path.lastIndexOf("/", path.length() - 2) + 1));
            } else if (!part.isEmpty() && !part.equals(".")) {
                path.append(part).append('/');
            }
            from = to + 1;
        }
        return path.toString();
    }

    /**
     * Programs may ask for a file that does not exist, except in /proc, where files come and go.
     */
    private boolean isAbsent(String file) {
        if (looking.get() != null) {
            return true;
        }
        looking.set(true);
        try {
            return !isIn(PROCESSES, file) && !new File(file).exists();
        } finally {
            looking.remove();
        }
    }

    /**
     * Libraries such as Gson read private fields of the objects that they convert. They reach those
     * of candidates' classes and of the classes that tasks share; other modules open no package to
     * them.
     */
    private static boolean isAskedByALibrary() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).walk(
                frames ->
                        frames.map(StackWalker.StackFrame::getDeclaringClass)
                                .filter(each -> !each.getModule().isNamed())
                                .findFirst()
                                .map(Guard::isOfALibrary)
                                .orElse(false));
    }

    private static boolean isOfALibrary(Class<?> asking) {
        CodeSource source = asking.getProtectionDomain().getCodeSource();
        return source != null
                && source.getLocation() != null
                && source.getLocation().getPath().startsWith(Trusted.KIT + "jars/");
    }
}
