package assay.harness;

import assay.harness.control.Copies;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Defines an evaluation's classes from memory, in a module that is exported only to this one.
 *
 * <p>A candidate's loader is the parent of this one and does not find these classes. A candidate
 * that gets at one of them, for example by an argument's class, can neither make an object of it
 * nor read its members: the module system refuses that, whatever the caller is permitted.
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
        classes.keySet().forEach(name -> packages.add(name.substring(0, name.lastIndexOf('.'))));
        ModuleLayer boot = ModuleLayer.boot();
        Configuration found =
                boot.configuration().resolve(new Finder(packages), ModuleFinder.of(), Set.of(NAME));
        ModuleLayer.Controller control =
                ModuleLayer.defineModules(found, List.of(boot), name -> made);
        Module module = control.layer().findModule(NAME).orElseThrow();
        control.addReads(module, parent.getUnnamedModule());
        boot.modules().forEach(each -> control.addReads(module, each));
        Module harness = Evaluations.class.getModule();
        packages.forEach(each -> control.addExports(module, each, harness));
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

    private static final class Finder implements ModuleFinder {
        private final ModuleReference only;

        Finder(Set<String> packages) {
            ModuleDescriptor described =
                    ModuleDescriptor.newModule(NAME).packages(packages).build();
            only =
                    new ModuleReference(described, null) {
                        @Override
                        public ModuleReader open() {
                            throw new UnsupportedOperationException();
                        }
                    };
        }

        @Override
        public Optional<ModuleReference> find(String name) {
            return name.equals(NAME) ? Optional.of(only) : Optional.empty();
        }

        @Override
        public Set<ModuleReference> findAll() {
            return Set.of(only);
        }
    }
}
