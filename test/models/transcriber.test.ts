import { describe, expect, test } from 'vitest';
import { openAiTranscriber, type TranscriptionDescription, TranscriptionError } from '../../src/models/transcriber.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { replies, transcriptionServer } from './transcription-server.ts';

const voice = { bytes: Buffer.from('OggS…'), mediaType: 'audio/ogg; codecs=opus' };
const never = new AbortController().signal;
const words = replies(200, { text: ' buy milk ' });

function transcriberAt(url: string, more: Partial<TranscriptionDescription> = {}, clock = new ManualClock()) {
  return openAiTranscriber(
    { baseUrl: `${url}/v1`, name: 'whisper-1', apiKey: 'secret-key-1', timeout: 60_000, ...more },
    clock,
  );
}

describe('a recording', () => {
  test('is sent as a form with its format, and comes back as words', async () => {
    const { url, received } = await transcriptionServer(words);
    expect(await transcriberAt(url, { language: 'de' }).transcribe(voice, never)).toBe('buy milk');
    expect(received).toEqual([
      {
        path: '/v1/audio/transcriptions',
        authorization: 'Bearer secret-key-1',
        fields: { model: 'whisper-1', language: 'de', response_format: 'json' },
        file: { name: 'recording.ogg', type: 'audio/ogg', text: 'OggS…' },
      },
    ]);
  });

  test.each([
    ['audio/mpeg', 'recording.mp3', 'audio/mpeg'],
    ['audio/x-m4a', 'recording.m4a', 'audio/x-m4a'],
    ['"; filename="x', 'recording.ogg', 'audio/ogg'],
    ['__proto__', 'recording.ogg', 'audio/ogg'],
  ])('of type %s has the name %s', async (mediaType, name, type) => {
    const { url, received } = await transcriptionServer(words);
    await transcriberAt(url).transcribe({ bytes: voice.bytes, mediaType }, never);
    expect(received[0]?.file).toMatchObject({ name, type });
  });

  test('goes without a key to a server that wants none', async () => {
    const { url, received } = await transcriptionServer(words);
    await openAiTranscriber({ baseUrl: url, name: 'm', timeout: 1000 }, new ManualClock()).transcribe(voice, never);
    expect(received[0]).toMatchObject({ authorization: undefined, path: '/audio/transcriptions' });
  });
});

describe('a server that fails', () => {
  test.each([429, 500, 503])('with %i is asked once more, a second later', async (status) => {
    const { url, received } = await transcriptionServer(replies(status, 'no'), words);
    const clock = new ManualClock();
    const said = transcriberAt(url, {}, clock).transcribe(voice, never);
    await clock.passes(1000);
    expect(await said).toBe('buy milk');
    expect(received).toHaveLength(2);
  });

  test('twice is given up', async () => {
    const { url, received } = await transcriptionServer(replies(500, 'no'));
    const clock = new ManualClock();
    const said = expect(transcriberAt(url, {}, clock).transcribe(voice, never)).rejects.toThrow('has a fault (500)');
    await clock.passes(1000);
    await said;
    expect(received).toHaveLength(2);
  });

  test.each([
    [
      replies(401, { error: { message: 'bad key secret-key-1' } }),
      'refuses the key: the owner has to check transcription.api_key',
    ],
    [replies(404, ''), 'does not know the model whisper-1: the owner has to check transcription.name'],
    [replies(413, ''), 'it is too long for the transcription server'],
    [
      replies(400, { error: { message: 'Invalid file\nformat with secret-key-1.' } }),
      'refuses it (400: Invalid file ⏎ format with …)',
    ],
    [replies(302, ''), 'refuses it (302)'],
    [replies(200, '<html>hello</html>'), 'what answers at transcription.base_url is no transcription server'],
    [replies(200, { text: ' \n' }), 'nothing in it could be understood'],
  ])('for good says why, without the key, and is not asked again', async (reply, why) => {
    const { url, received } = await transcriptionServer(reply);
    const failure: unknown = await transcriberAt(url)
      .transcribe(voice, never)
      .catch((error: unknown) => error);
    if (!(failure instanceof TranscriptionError)) throw new Error('It did not fail in words.');
    expect(failure.message).toContain(why);
    expect(failure.message).not.toContain('secret-key-1');
    expect(received).toHaveLength(1);
  });

  test('to answer in time is given up', async () => {
    const { promise: came, resolve } = Promise.withResolvers<void>();
    const { url } = await transcriptionServer(() => resolve());
    const clock = new ManualClock();
    const said = expect(transcriberAt(url, {}, clock).transcribe(voice, never)).rejects.toThrow('longer than 60 s');
    await came;
    clock.advance(60_000);
    await said;
    expect(clock.waits).toEqual([]);
  });

  test('to come to an end is left after a few megabytes', async () => {
    let written = 0;
    const { promise: left, resolve } = Promise.withResolvers<void>();
    const { url } = await transcriptionServer((response) => {
      const more = (error?: Error | null): void => {
        if (error || response.destroyed) return;
        written += 1;
        response.write('x'.repeat(1_000_000), more);
      };
      response.on('close', resolve);
      response.writeHead(200);
      more();
    });
    await expect(transcriberAt(url).transcribe(voice, never)).rejects.toThrow('is no transcription server');
    await left;
    expect(written).toBeLessThan(30);
  });

  test('to be there at all is said in words', async () => {
    const clock = new ManualClock();
    const said = expect(transcriberAt('http://127.0.0.1:1', {}, clock).transcribe(voice, never)).rejects.toThrow(
      'the transcription server cannot be reached',
    );
    await clock.passes(1000);
    await said;
  });

  test('to answer is left at once when nobody waits any more', async () => {
    const { promise: came, resolve } = Promise.withResolvers<void>();
    const { url, received } = await transcriptionServer(() => resolve());
    const stop = new AbortController();
    const said = expect(transcriberAt(url).transcribe(voice, stop.signal)).rejects.toThrow('nobody waits');
    await came;
    stop.abort(new Error('nobody waits'));
    await said;
    expect(received).toHaveLength(1);
  });
});
