// Lets processes write one file and prints what became of their rows. Arguments: file, and the options as JSON.
import { tallyWriters, type WritersOptions } from './writers.ts';

const [file = '', options = '{}'] = process.argv.slice(2);
console.log(JSON.stringify(await tallyWriters(file, JSON.parse(options) as WritersOptions)));
