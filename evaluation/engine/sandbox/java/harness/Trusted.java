package assay.harness;

import java.net.URL;
import java.security.CodeSource;
import java.security.Permission;
import java.security.Policy;
import java.security.ProtectionDomain;

/**
 * The platform, this module, evaluations and the classes that tasks share may do everything; a
 * candidate's classes only what Guard permits.
 */
public final class Trusted extends Policy {
    static final String KIT = "/judge/kit/";
    private static final String SHARED = "/judge/run/shared/";

    @Override
    public boolean implies(ProtectionDomain domain, Permission asked) {
        return isTrusted(domain);
    }

    /** Whether a class is not a candidate's, nor made on its behalf. */
    public static boolean isTrusted(Class<?> type) {
        return type.getClassLoader() == null || isTrusted(type.getProtectionDomain());
    }

    private static boolean isTrusted(ProtectionDomain domain) {
        CodeSource source = domain.getCodeSource();
        URL place = source == null ? null : source.getLocation();
        if (place == null) {
            return false;
        }
        String path = place.getPath();
        return place.getProtocol().equals("jrt")
                || path.startsWith(KIT)
                || path.startsWith(SHARED);
    }
}
