export { SeededRandom } from '../../packages/fakes/src/random.ts';
