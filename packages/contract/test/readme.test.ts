import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const example = fileURLToPath(new URL('readme-example.ts', import.meta.url));

describe('README', () => {
  it('shows the program that is tested here', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    expect(/```ts\n(.*?)```/s.exec(readme)?.[1]).toBe(readFileSync(example, 'utf8'));
  });

  it('shows a program that runs', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--conditions=@waymark/source', example], {
      encoding: 'utf8',
    });
    expect({ lines: stdout.trim().split('\n'), stderr }).toEqual({
      lines: [
        '{"name":"get_weather_by_city","description":"Weather of a city.","inputSchema":{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","default":1}},"required":["city"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"idempotentHint":true,"requiresApproval":false}}',
        '{"ok":true,"status":200,"value":{"route":"get_weather_by_city","input":{"by":"arguments","values":{"city":"Bern"}}}}',
      ],
      stderr: '',
    });
  });
});
