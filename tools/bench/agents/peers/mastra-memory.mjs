// Workflows of Mastra without storage: what it remembers of them is gone with the process.
import { makeWorkflows } from './mastra-workflow.mjs';

export const makeWork = () => makeWorkflows();
