import { Agent, request } from 'node:http';
import { type MakeRun, modelKey } from '../question.ts';
import { bareLoop } from './bare-loop.ts';

/** The bare loop over `node:http` and connections that stay open. */
export const makeRun: MakeRun = (modelsUrl) => {
  const url = new URL('/v1/chat/completions', modelsUrl);
  const agent = new Agent({ keepAlive: true });
  return bareLoop(
    (body) =>
      new Promise((resolve, reject) => {
        const text = JSON.stringify(body);
        const headers = {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
          authorization: `Bearer ${modelKey}`,
        };
        const sent = request(url, { method: 'POST', agent, headers }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            if (response.statusCode !== 200) reject(new Error(`the model answered ${response.statusCode}`));
            else resolve(JSON.parse(Buffer.concat(chunks).toString()));
          });
        });
        sent.on('error', reject);
        sent.end(text);
      }),
  );
};
