/** The files of the guide for two machines, held to what a server reads and answers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { createApplication } from '@waymark/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';

const page = readFileSync(join(import.meta.dirname, '../../docs/how-to/machines.md'), 'utf8');

/** A file that the page shows. */
function shown(name: string): string {
  const [, text = ''] = new RegExp(`\`\`\`\\w+ ${name}\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
  expect(text).not.toBe('');
  return text;
}

interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: readonly string[];
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
  readonly secrets: object;
}

const compose = parse(shown('compose.yml'), { merge: true }) as Compose;
const { services } = compose;

describe('the files for two machines', () => {
  it('name services, volumes and secrets that are there', () => {
    verifies('scale.machines.files');
    expect(Object.keys(services)).toEqual(['proxy', 'one', 'two', 'sqld', 'redis']);
    expect(services['two']).toEqual(services['one']);
    for (const { image, depends_on = [], volumes = [], secrets = [] } of Object.values(services)) {
      expect(image).toMatch(/^[\w./-]+(:[\w.-]+)?$/);
      expect(Object.keys(services)).toEqual(expect.arrayContaining([...depends_on]));
      expect(Object.keys(compose.secrets)).toEqual(expect.arrayContaining([...secrets]));
      const named = volumes.map((one) => one.split(':')[0] ?? '').filter((one) => !one.startsWith('.'));
      expect(Object.keys(compose.volumes)).toEqual(expect.arrayContaining(named));
    }
  });

  it('set variables that a server reads, to values that it takes', async () => {
    verifies('scale.machines.files');
    const { environment = {} } = services['one'] ?? {};
    const { WAYMARK_DATABASE_URL: url = '', WAYMARK_HOST: host } = environment;
    expect([host, new URL(url).hostname in services]).toEqual(['0.0.0.0', true]);
    expect(new URL(environment['WAYMARK_HUB_REDIS'] ?? '').hostname in services).toBe(true);
    const env = { ...environment, OPERATOR_KEY: 'the-key-of-the-operator' };
    const problems = createApplication('shop', { env }).apiKey('OPERATOR_KEY', 'operator', {}).check();
    expect(problems.filter(({ declaration }) => declaration === 'environment')).toEqual([]);
    const misspelt = createApplication('shop', { env: { ...env, WAYMARK_DATABASE: url } }).check();
    expect(misspelt.map(({ code }) => code)).toContain('variable-unknown');
  });

  it('ask each instance at a path that says whether it is ready', async () => {
    verifies('scale.machines.files');
    const caddy = shown('Caddyfile');
    const upstreams = /reverse_proxy (.*) \{/.exec(caddy)?.[1]?.split(' ') ?? [];
    expect(upstreams).toEqual(['one:8000', 'two:8000']);
    const [, path = ''] = /health_uri (\S+)/.exec(caddy) ?? [];
    const running = await createApplication('shop', { port: 0, env: {} }).listen();
    onTestFinished(() => running.close());
    expect((await fetch(running.url + path)).status).toBe(200);
  });
});
