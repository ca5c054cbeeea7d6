package assay.harness;

import assay.harness.copies.Copies;
import java.lang.module.ModuleDescriptor;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import jdk.internal.module.Modules;

/**
 * Defines an evaluation's classes from memory, in a module that is exported only to this one.
 *
 * <p>A candidate's loader is the parent of this one and does not find these classes. A candidate
 * that reaches one of them, for example by an argument's class, can neither make an object of it
 * nor read its members: the module system refuses that, regardless of the caller's permissions.
 */
final class Evaluations extends ClassLoader {
    private static final String NAME = "assay.evaluation";

    private final Map<String, byte[]> classes;

    private Evaluations(Map<String, byte[]> classes, ClassLoader parent) {
        super(parent);
        this.classes = classes;
    }

    static ClassLoader loader(Map<String, byte[]> classes, ClassLoader parent) {
        Evaluations made = new Evaluations(classes, parent);
        Set<String> packages = new HashSet<>();
        for (String name : classes.keySet()) {
            packages.add(name.substring(0, name.lastIndexOf('.')));
        }
        // A module layer would do the same, but resolving its configuration takes 20 ms.
        Module module =
                Modules.defineModule(
                        made, ModuleDescriptor.newModule(NAME).packages(packages).build(), null);
        Modules.addReads(module, parent.getUnnamedModule());
        for (Module each : ModuleLayer.boot().modules()) {
            Modules.addReads(module, each);
        }
        Module harness = Evaluations.class.getModule();
        for (String each : packages) {
            Modules.addExports(module, each, harness);
        }
        harness.addExports(Copies.class.getPackageName(), module);
        return made;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> found = findLoadedClass(name);
            if (found != null) {
                return found;
            }
            byte[] own = classes.remove(name);
            if (own == null) {
                return super.loadClass(name, resolve);
            }
            return defineClass(
                    name, own, 0, own.length, Evaluations.class.getProtectionDomain());
        }
    }
}
