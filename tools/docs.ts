// Builds the documentation from `docs`, the READMEs and the sources: `npm run docs` writes it to `.site`. With `--check` the code of
// every page runs; words behind it take the pages whose paths have one of them.
import { join } from 'node:path';
import { buildSite, writeSite } from './docs/build.ts';
import { serveSite } from './docs/serve-site.ts';
import { runSnippets } from './docs/snippets/run-snippets.ts';
import { repositoryRoot } from './lib/workspace.ts';

const folder = join(repositoryRoot, '.site');
const atMs = performance.now();
const site = await buildSite(repositoryRoot);
writeSite(site, folder);
const { size } = site.files;
console.log(`docs: ${site.pages.length} pages, ${size} files, ${Math.round(performance.now() - atMs)} ms`);
for (const problem of site.problems) console.error(problem);
if (site.problems.length > 0) process.exitCode = 1;
if (process.argv.includes('--check')) {
  const only = process.argv.slice(process.argv.indexOf('--check') + 1);
  const outcome = await runSnippets(repositoryRoot, site.pages, only);
  for (const one of outcome.skipped) console.log(`left out: ${one}`);
  for (const one of outcome.failures) console.log(one);
  // CI asks them once more, by themselves.
  for (const one of outcome.failedPages) console.log(`failed file: ${one}`);
  const failed = outcome.failures.length + site.problems.length;
  if (failed > 0) console.log(`failed outside: ${failed - outcome.failedPages.length}`);
  const seconds = Math.round((performance.now() - atMs) / 1000);
  console.log(`docs: ${outcome.ran} snippets of ${outcome.passed} pages ran, ${seconds} s`);
  console.log(`${outcome.passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}
if (process.argv.includes('--serve')) await serveSite(repositoryRoot, folder);
