import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Writes files into a temporary repository with the usual workspaces; it is removed after the test. */
export function plant(files: Readonly<Record<string, string | object>>): string {
  const root = mkdtempSync(join(tmpdir(), 'waymark-tools-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const manifest = { workspaces: ['packages/*', 'apps/*', 'e2e'] };
  for (const [path, content] of Object.entries({ 'package.json': manifest, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(
      join(root, path),
      typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`,
    );
  }
  return root;
}

/** A manifest with one entry point and the given dependencies. */
export function manifest(name: string, ...dependencies: string[]): object {
  return {
    name: `@waymark/${name}`,
    exports: {
      '.': { '@waymark/source': './src/index.ts' },
      './testing': { '@waymark/source': './src/testing/index.ts' },
    },
    dependencies: Object.fromEntries(dependencies.map((dependency) => [dependency, '1.0.0'])),
  };
}
