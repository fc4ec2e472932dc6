export { closeServer, freePort, listenOnLoopback } from '../../packages/fakes/src/loopback.ts';
