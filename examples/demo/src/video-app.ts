import "reflect-metadata";
import {
  JournalVideoTaskStore,
  ModelGatewayExceptionFilter,
  ModelGatewayModule,
  type ModelGatewayModuleOptions,
  VideosService,
  videoEvents,
} from "@model-gateway/nestjs";
import { Body, Controller, Inject, Module, Param, Post, Sse, UseFilters } from "@nestjs/common";

/** `POST /videos` submits a task, `GET /videos/:key` streams its status. */
@Controller("videos")
@UseFilters(ModelGatewayExceptionFilter)
class VideosController {
  constructor(@Inject(VideosService) private readonly videos: VideosService) {}

  @Post()
  submit(@Body("prompt") prompt: string) {
    return this.videos.submit({
      model: "local-video-2.0",
      content: [{ type: "text", text: prompt }],
      duration: 5,
      resolution: "480p",
      generate_audio: true,
    });
  }

  @Sse(":key")
  watch(@Param("key") key: string) {
    return this.videos.watch$(key).pipe(videoEvents());
  }
}

/**
 * The application that the demo boots.
 *
 * @param directory where it keeps its video tasks
 */
export function createVideoModule(options: ModelGatewayModuleOptions, directory: string) {
  const videos = { intervalMs: 400, store: new JournalVideoTaskStore({ directory }) };
  @Module({ imports: [ModelGatewayModule.forRoot({ ...options, videos })], controllers: [VideosController] })
  class VideoModule {}
  return VideoModule;
}
