package assay.harness;

import java.io.File;
import java.io.FileDescriptor;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.Permission;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Consumer;

/**
 * Permits a candidate what is on a list, and notes the kind of each other permission that it asks
 * for. The kinds are those that tasks name.
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
    // Of no use without the network, which the container does not have.
    private static final Set<String> HARMLESS =
            Set.of(
                    "java.util.PropertyPermission", "java.net.SocketPermission",
                    "java.net.NetPermission", "java.net.URLPermission",
                    "java.util.logging.LoggingPermission");
    private static final Path[] WRITABLE = {Path.of("/work"), Path.of("/tmp")};
    private static final Path[] READABLE = {
        Path.of(System.getProperty("java.home")), Path.of("/judge"),
        Path.of("/dev/null"), Path.of("/dev/random"), Path.of("/dev/urandom"),
    };
    private static final StackWalker STACK =
            StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private final Set<String> permitted;
    private final Set<String> denied = new ConcurrentSkipListSet<>();
    private final ThreadLocal<Boolean> looking = new ThreadLocal<>();

    Guard(Set<String> permitted) {
        this.permitted = permitted;
    }

    /** The kinds that were denied, separated by commas. */
    String denied() {
        return String.join(",", denied);
    }

    @Override
    public void checkPermission(Permission asked) {
        if (!isHarmless(asked)) {
            check(asked, super::checkPermission);
        }
    }

    @Override
    public void checkPermission(Permission asked, Object context) {
        if (!isHarmless(asked)) {
            check(asked, each -> super.checkPermission(each, context));
        }
    }

    private void check(Permission asked, Consumer<Permission> trusted) {
        String kind = kind(asked);
        if (permitted.contains(kind)) {
            return;
        }
        try {
            // The platform's loader grants its classes the exit.
            trusted.accept(kind.equals("exit") ? new RuntimePermission("assay.exit") : asked);
        } catch (SecurityException e) {
            if (kind.equals("access_checks") && isAskedByALibrary()) {
                return;
            }
            denied.add(kind);
            throw e;
        }
    }

    /** Modules keep their packages to themselves. */
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
                return kindOfRuntime(name.split("[.]")[0]);
            default:
                return "other";
        }
    }

    private static String kindOfRuntime(String name) {
        switch (name) {
            case "exitVM":
            case "shutdownHooks":
                return "exit";
            case "loadLibrary":
                return "library";
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

    private static boolean isIn(Path[] places, String file) {
        Path path;
        try {
            path = Path.of(file).toAbsolutePath().normalize();
        } catch (InvalidPathException e) {
            return false;
        }
        for (Path place : places) {
            if (path.startsWith(place)) {
                return true;
            }
        }
        return false;
    }

    /** Programs may ask for a file that does not exist. In /proc files come and go. */
    private boolean isAbsent(String file) {
        if (looking.get() != null) {
            return true;
        }
        looking.set(true);
        try {
            return !isIn(new Path[] {Path.of("/proc")}, file) && !new File(file).exists();
        } finally {
            looking.remove();
        }
    }

    /**
     * Libraries such as Gson read private fields of the objects that they convert. They reach those
     * of candidates and of what tasks share; other modules open nothing to them.
     */
    private static boolean isAskedByALibrary() {
        return STACK.walk(
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
