// Sends the requests that test/languages/retries.test.ts plans, with Java's HttpClient.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

class Retries {
    public static void main(String[] arguments) throws Exception {
        var lines = new BufferedReader(new InputStreamReader(System.in)).lines().toList();
        for (String line : lines) {
            String[] words = line.split(" ");
            HttpClient client = HttpClient.newHttpClient();
            if (words[0].equals("reused")) send(client, words[1], "GET", arguments[0] + "/api/billing/credit");
            send(client, words[1], words[2], arguments[0] + words[3]);
        }
    }

    static void send(HttpClient client, String credentials, String method, String url) throws Exception {
        var body = method.equals("POST") ? BodyPublishers.ofString("{\"clientid\": 11}") : BodyPublishers.noBody();
        var request = HttpRequest.newBuilder(URI.create(url)).method(method, body)
            .header("Authorization", "Basic " + credentials)
            .header("Accept", "application/json").header("Content-Type", "application/json").build();
        try {
            client.send(request, BodyHandlers.ofString());
        } catch (IOException error) {
            // The response was lost.
        }
    }
}
