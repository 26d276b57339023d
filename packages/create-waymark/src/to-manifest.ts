import { ownVersion } from './own-package.ts';
import { type TemplateName, templates } from './templates.ts';

/** The versions that a new application begins with; a test holds them to those that this repository is built with. */
export const devDependencies = {
  '@types/node': '^24.0.0',
  ky: '2.1.0',
  node: '24.21.0',
  typescript: '7.0.2',
} as const;

/**
 * The manifest of a new application. It brings the Node that runs it: scripts of npm find that one before any other.
 *
 * @param tarballs where packages are that come from no registry, by their names
 */
export function toManifest(
  name: string,
  template: TemplateName,
  tarballs: Readonly<Record<string, string>> = {},
): object {
  const taken = ['@waymark/server', ...(templates[template].asksModels ? ['@waymark/model-simulator'] : [])];
  const version = (one: string): string => tarballs[one] ?? `^${ownVersion()}`;
  const [server, ...others] = taken.map((one) => [one, version(one)] as const);
  const overrides = Object.entries(tarballs).filter(([one]) => !taken.includes(one));
  const own = Object.entries(devDependencies);
  return {
    ...{ name, version: '0.1.0', private: true, type: 'module' },
    scripts: {
      dev: 'waymark dev',
      start: 'waymark start',
      // An older Node finds no tests in TypeScript and would call that a success; this one line fails there.
      pretest: 'waymark check --dev',
      test: 'node --test',
      check: 'tsc && waymark check --dev --strict',
      client: 'waymark typegen --out client.ts',
    },
    // It fetches the Node of this machine's kind.
    allowScripts: { node: true },
    dependencies: Object.fromEntries(server ? [server] : []),
    devDependencies: Object.fromEntries([...others, ...own]),
    ...(overrides.length > 0 && { overrides: Object.fromEntries(overrides) }),
  };
}
