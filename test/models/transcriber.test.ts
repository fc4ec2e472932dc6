import { describe, expect, test } from 'vitest';
import { openAiTranscriber, type TranscriptionDescription, TranscriptionError } from '../../src/models/transcriber.ts';
import { audioWords } from '../../src/models/words.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { replies, transcriptionServer } from './transcription-server.ts';

const voice = { bytes: Buffer.from('OggS…'), mediaType: 'audio/ogg; codecs=opus' };
const server = 'transcription';
const say = audioWords.en;
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
    const said = expect(transcriberAt(url, {}, clock).transcribe(voice, never)).rejects.toThrow(
      say.fault({ server, status: 500 }),
    );
    await clock.passes(1000);
    await said;
    expect(received).toHaveLength(2);
  });

  test.each([
    [replies(401, { error: { message: 'bad key secret-key-1' } }), say.keyRefused({ server })],
    [replies(404, ''), say.unknownModel({ server, name: 'whisper-1' })],
    [replies(413, ''), say.tooLarge({ server })],
    [
      replies(400, { error: { message: 'Invalid file\nformat with secret-key-1.' } }),
      say.refused({ server, status: 400, told: 'Invalid file ⏎ format with …' }),
    ],
    [replies(302, ''), say.refused({ server, status: 302, told: '' })],
    [replies(200, '<html>hello</html>'), say.foreign({ server })],
    [replies(200, { text: ' \n' }), say.nothingHeard],
  ])('for good says why, without the key, and is not asked again', async (reply, why) => {
    const { url, received } = await transcriptionServer(reply);
    const failure: unknown = await transcriberAt(url)
      .transcribe(voice, never)
      .catch((error: unknown) => error);
    if (!(failure instanceof TranscriptionError)) throw new Error('It did not fail in words.');
    expect(failure.message).toBe(why);
    expect(failure.saidIn('zh')).toMatch(/\p{Script=Han}/u);
    expect(failure.message).not.toContain('secret-key-1');
    expect(received).toHaveLength(1);
  });

  test('to answer in time is given up', async () => {
    const { promise: came, resolve } = Promise.withResolvers<void>();
    const { url } = await transcriptionServer(() => resolve());
    const clock = new ManualClock();
    const said = expect(transcriberAt(url, {}, clock).transcribe(voice, never)).rejects.toThrow(
      say.late({ server, seconds: 60 }),
    );
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
    await expect(transcriberAt(url).transcribe(voice, never)).rejects.toThrow(say.foreign({ server }));
    await left;
    expect(written).toBeLessThan(30);
  });

  test('to be there at all is said in words', async () => {
    const clock = new ManualClock();
    const said = expect(transcriberAt('http://127.0.0.1:1', {}, clock).transcribe(voice, never)).rejects.toThrow(
      say.unreachable({ server, fault: undefined }),
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
