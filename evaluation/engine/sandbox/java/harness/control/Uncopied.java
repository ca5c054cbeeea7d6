package assay.harness.control;

import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/** Whether a call got an object of its caller that it may be able to change. */
public final class Uncopied {
    private static final Set<String> FIXED =
            Set.of(
                    "java.lang.String", "java.lang.Integer", "java.lang.Long", "java.lang.Double",
                    "java.lang.Float", "java.lang.Short", "java.lang.Byte", "java.lang.Character",
                    "java.lang.Boolean", "java.lang.Class", "java.lang.Object",
                    "java.math.BigDecimal", "java.math.BigInteger", "java.util.UUID",
                    "java.util.Locale", "java.util.Currency", "java.util.Optional",
                    "java.util.OptionalInt", "java.util.regex.Pattern",
                    "java.net.URI", "java.net.URL", "java.io.File");

    private static volatile boolean any;

    private Uncopied() {}

    public static boolean any() {
        return any;
    }

    /** Notes the originals that are among the copies, by the map from the former to the latter. */
    static void note(Map<Object, Object> copies) {
        copies.forEach((original, copy) -> any |= original == copy && !isFixed(original));
    }

    static void note(Object original) {
        any |= !isFixed(original);
    }

    private static boolean isFixed(Object object) {
        Class<?> type = object.getClass();
        return FIXED.contains(type.getName())
                || type.getName().startsWith("java.time.")
                || type.isHidden()
                || object instanceof Enum
                || object instanceof Path
                || object instanceof Charset;
    }
}
