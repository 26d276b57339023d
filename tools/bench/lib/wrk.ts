import { loadCore } from './cores.ts';
import type { LoadOptions, LoadRequest, LoadResult } from './load.ts';
import { runPinned, withFile } from './run-pinned.ts';

/** Sends load with `wrk`, which is told by a script in Lua what to send. */
export function sendWithWrk(
  url: string,
  requests: readonly LoadRequest[],
  { seconds, connections }: LoadOptions,
): Promise<LoadResult> {
  return withFile('load.lua', toLua(requests), async (script) => {
    // A slow answer is a slow answer: wrk's own 2 seconds would call it a failure.
    const options = [
      '-t1',
      `-c${connections}`,
      `-d${seconds}s`,
      '--latency',
      '--timeout',
      '20s',
      '-s',
      script,
    ];
    const output = await runPinned(loadCore, ['wrk', ...options, url]);
    if (/Non-2xx|Socket errors/.test(output)) throw new Error(`some requests failed:\n${output}`);
    return {
      requests: Number(/(\d+) requests in/.exec(output)?.[1]),
      perSecond: Number(/Requests\/sec: +([\d.]+)/.exec(output)?.[1]),
      p50Ms: toMs(/^ +50% +(\S+)/m.exec(output)?.[1]),
      p99Ms: toMs(/^ +99% +(\S+)/m.exec(output)?.[1]),
    };
  });
}

/** `812.00us`, `1.33ms`, `2.10s`. */
function toMs(text = ''): number {
  const [, value, unit] = /^([\d.]+)(us|ms|s)$/.exec(text) ?? [];
  return Number(value) * (unit === 'us' ? 0.001 : unit === 's' ? 1000 : 1);
}

function toLua(requests: readonly LoadRequest[]): string {
  const rows = requests.map(({ method = 'GET', path, headers = {}, body }) => {
    const fields = Object.entries(headers).map(([name, value]) => `[${quoted(name)}] = ${quoted(value)}`);
    return `{ ${quoted(method)}, ${quoted(path)}, { ${fields.join(', ')} }, ${body === undefined ? 'nil' : quoted(body)} },`;
  });
  return `local given = {
${rows.join('\n')}
}
local requests, at = {}, 0
function init()
  for i, one in ipairs(given) do
    one[3]["Host"] = wrk.headers["Host"]
    requests[i] = wrk.format(one[1], one[2], one[3], one[4])
  end
end
function request()
  at = at % #requests + 1
  return requests[at]
end
`;
}

/** What is quoted here reads alike in JSON and Lua: plain text without control characters. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
