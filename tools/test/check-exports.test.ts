import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkExports, updateExports } from '../check-exports.ts';
import { manifest, plant } from './plant.ts';

describe('checkExports', () => {
  it('reports names that appeared and names that vanished', () => {
    const root = plant({
      'packages/http/package.json': manifest('http'),
      'packages/http/src/index.ts':
        "export const kept = 1;\nexport const gone = 2;\nexport * from './b.ts';\n",
      'packages/http/src/b.ts': 'export type Followed = 1;\n',
      'tools/exports.lock.json': {},
    });
    updateExports(root);
    expect(checkExports(root)).toEqual([]);

    writeFileSync(
      join(root, 'packages/http/src/index.ts'),
      'export const kept = 1;\nexport class Added {}\n',
    );
    expect(checkExports(root).map(({ message }) => message)).toEqual([
      '@waymark/http: + Added (npm run exports pins it)',
      '@waymark/http: - Followed (npm run exports pins it)',
      '@waymark/http: - gone (npm run exports pins it)',
    ]);
  });
});
