import '../src/strip-types.js';
import { join } from 'node:path';
import { bundle, project } from './bundle.ts';

/** Builds into `dist` what the Docker image starts: as the package has it, for Node 24 alone, and without the compiler. */
await bundle({ into: join(project, 'dist/bundle'), modules: join(project, 'dist'), ending: '.js' });
