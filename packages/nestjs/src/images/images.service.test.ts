import type { ImageStreamEvent } from "@model-gateway/core";
import { firstValueFrom, lastValueFrom, type Observable, toArray } from "rxjs";
import { describe, expect, it } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { useEmulator } from "../../test/use-emulator.js";
import { getModelGatewayToken, ImagesService, ModelGatewayModule } from "../index.js";

const BODY = { model: "local-image-b64", prompt: "A lighthouse", size: "1024x1024", partial_images: 2 };

async function bootImages(latency = 0) {
  const { emulator, connection } = await useEmulator({ latency });
  const { app } = await bootApp([
    ModelGatewayModule.forRoot(connection),
    ModelGatewayModule.forRoot({ ...connection, name: "eu" }),
  ]);
  const requests = () => emulator.journal.list();
  return { app, emulator, images: app.get(ImagesService), requests };
}

function all(events$: Observable<ImageStreamEvent>): Promise<ImageStreamEvent[]> {
  return lastValueFrom(events$.pipe(toArray()));
}

describe("images as promises", () => {
  it("are generated, as links or as Base64", async () => {
    const { images } = await bootImages();
    const { data, requestId } = await images
      .generate({ model: "local-image", prompt: "A lighthouse" })
      .withResponse();
    expect(requestId).toBeTruthy();
    expect(data.images[0]?.url).toMatch(/^http/);
    expect((await data.images[0]?.bytes())?.length).toBeGreaterThan(1_000);
    const { images: encoded } = await images.generate({ ...BODY, partial_images: undefined });
    expect(encoded[0]?.mediaType).toBe("image/png");
  });

  it("are edited", async () => {
    const { images } = await bootImages();
    const { images: made } = await images.generate({ ...BODY, partial_images: undefined });
    const original = await made[0]?.bytes();
    if (original === undefined) throw new Error("There is no image to edit.");
    const { images: edited } = await images.edit({
      model: BODY.model,
      prompt: "By night",
      images: [original],
    });
    expect(await edited[0]?.bytes()).not.toEqual(original);
  });

  it("are made through chat", async () => {
    const { images } = await bootImages();
    const result = await images.generateThroughChat({ model: "local-chat-image", prompt: "A lighthouse" });
    expect(result.images).toHaveLength(1);
  });

  it("come from each named instance", async () => {
    const { app, images } = await bootImages();
    const euImages = app.get(getModelGatewayToken("eu", ImagesService));
    expect(euImages).toBeInstanceOf(ImagesService);
    expect(euImages).not.toBe(images);
  });
});

describe("images as a stream", () => {
  it("show partial pictures and then the finished one, and complete", async () => {
    const { images } = await bootImages();
    const events = await all(images.stream$(BODY));
    expect(events.map(({ type }) => type)).toEqual(["partial", "partial", "completed"]);
  });

  it("show an edit while it is made", async () => {
    const { images, requests } = await bootImages();
    const { images: made } = await images.generate({ ...BODY, partial_images: undefined });
    const original = await made[0]?.bytes();
    if (original === undefined) throw new Error("There is no image to edit.");
    const events = await all(images.editStream$({ ...BODY, images: [original], partial_images: 1 }));
    expect(events.map(({ type }) => type)).toEqual(["partial", "completed"]);
    expect(requests().map(({ path }) => path)).toEqual([
      expect.stringContaining("generations"),
      expect.stringContaining("edits"),
    ]);
  });

  it("send nothing before somebody subscribes, and once per subscription after that", async () => {
    const { images, requests } = await bootImages();
    const events$ = images.stream$(BODY);
    expect(requests()).toHaveLength(0);
    await Promise.all([all(events$), all(events$)]);
    expect(requests()).toHaveLength(2);
  });

  it("abort the request when the subscriber leaves", async () => {
    const { images, requests } = await bootImages(200);
    await firstValueFrom(images.stream$(BODY));
    await expect.poll(() => requests()[0]?.durationMs).toBeGreaterThan(0);
    expect(requests()[0]).toMatchObject({ status: 200, complete: false });
  });

  it("obey the caller's signal", async () => {
    const { images } = await bootImages(200);
    const controller = new AbortController();
    const ended = all(images.stream$(BODY, { signal: controller.signal }));
    controller.abort();
    await expect(ended).rejects.toMatchObject({ kind: "aborted" });
  });

  it("fail with core's errors", async () => {
    const { images, requests } = await bootImages();
    await expect(all(images.stream$({ ...BODY, partial_images: 9 }))).rejects.toMatchObject({
      kind: "invalid_request",
    });
    expect(requests()).toHaveLength(0);
  });

  it("end when the application closes, and begin no more", async () => {
    const { app, images, requests } = await bootImages(200);
    const ended = all(images.stream$(BODY));
    await expect.poll(() => requests().length).toBe(1);
    const outcome = expect(ended).rejects.toMatchObject({ kind: "aborted" });
    await app.close();
    await outcome;
    await expect(all(images.editStream$({ ...BODY, images: [new Uint8Array(8)] }))).rejects.toMatchObject({
      kind: "aborted",
    });
    expect(requests()).toHaveLength(1);
  });
});
