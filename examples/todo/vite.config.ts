import { defineConfig } from 'vite';

export default defineConfig({
  build: {
    outDir: 'assets',
    rolldownOptions: {
      input: 'browser/main.tsx',
      output: { entryFileNames: 'main.js' },
    },
  },
});
