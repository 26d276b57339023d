// Nothing but the start of node.
import { tellReady } from './tell-ready.mjs';

tellReady();
