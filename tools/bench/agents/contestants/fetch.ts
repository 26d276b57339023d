import { type MakeRun, modelKey } from '../question.ts';
import { bareLoop } from './bare-loop.ts';

/** The bare loop over `fetch`. */
export const makeRun: MakeRun = (modelsUrl) => {
  const url = `${modelsUrl}/v1/chat/completions`;
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${modelKey}` };
  return bareLoop(async (body) => {
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`the model answered ${response.status}`);
    return response.json();
  });
};
