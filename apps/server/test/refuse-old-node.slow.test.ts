import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('../bin/waymark.js', import.meta.url));

/** What `waymark --version` says where node says that it has a version. */
function ask(version: string) {
  const claim = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const args = [
    '--conditions=@waymark/source',
    '--import',
    `data:text/javascript,${encodeURIComponent(claim)}`,
  ];
  const { stdout, stderr, status } = spawnSync(process.execPath, [...args, program, '--version'], {
    encoding: 'utf8',
  });
  return { stdout, stderr, status };
}

it('the command refuses an older Node in one line, before anything is loaded', () => {
  verifies('sql.old-node');
  expect(ask('22.17.1')).toEqual({
    ...{ stdout: '', status: 1 },
    stderr: 'waymark: Node 22.17.1 is too old; take Node 22.18 or newer\n',
  });
  expect(ask('22.18.0')).toMatchObject({ status: 0, stderr: '' });
});
