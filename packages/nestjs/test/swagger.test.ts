import { Controller, Get } from "@nestjs/common";
import { DocumentBuilder, SwaggerModule } from "@nestjs/swagger";
import { expect, it } from "vitest";
import { ModelGatewayModule } from "../src/index.js";
import { bootApp } from "./boot-app.js";
import { FAST_POLLS } from "./use-emulator.js";

@Controller("orders")
class OrdersController {
  @Get()
  list() {
    return [];
  }
}

it("callbacks stand in no description of the application's API, however many instances take them", async () => {
  const connection = { apiKey: "sk-test", baseURL: "http://127.0.0.1:9/v1", videos: FAST_POLLS };
  const callback = { publicURL: "https://example.com", secret: "a secret of at least thirty-two characters" };
  const { app } = await bootApp(
    [
      ModelGatewayModule.forRoot({ ...connection, callback }),
      ModelGatewayModule.forRootAsync({
        name: "eu",
        callbackMetadata: { isPublic: true },
        useFactory: () => ({ ...connection, callback }),
      }),
    ],
    { controllers: [OrdersController] },
  );
  const { paths } = SwaggerModule.createDocument(app, new DocumentBuilder().build());
  expect(Object.keys(paths)).toEqual(["/orders"]);
});
